"""One folder a question: endpoints, shapes, and what is asked of the models."""
