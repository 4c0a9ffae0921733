"""Devices, price books and currencies, shipped and own."""
