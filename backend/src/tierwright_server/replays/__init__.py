"""What is replayed or counted by a job, and kept."""
