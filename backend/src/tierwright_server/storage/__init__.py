"""The database, the files of contents, and how much room they take."""
