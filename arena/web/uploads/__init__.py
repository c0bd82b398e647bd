"""Uploads: takes archives in, and reads, builds and checks them in processes of their own, one after the other."""
