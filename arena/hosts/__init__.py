"""Hosts: machines that play games for a runner elsewhere, each with a worker of Dask and a process that plays."""
