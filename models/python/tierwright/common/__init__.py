"""Words and checks that every room is written in; imports no other room."""
