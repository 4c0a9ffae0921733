"""Every configuration that can be bought or rented for a production: what it costs, what it breaks, how fast it is."""
