"""Where traces come from: files, and objects of a store."""
