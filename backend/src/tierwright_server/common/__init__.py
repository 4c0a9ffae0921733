"""What every room uses: settings, errors, shapes, words; imports no other room."""
