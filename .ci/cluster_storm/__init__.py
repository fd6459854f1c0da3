"""Matches on three servers over one database, all of which fail, and what must be true then."""
