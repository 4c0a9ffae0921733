"""The experiments of the papers, what was published of them, and what ours say."""
