"""Files of other systems, and what is understood of them."""
