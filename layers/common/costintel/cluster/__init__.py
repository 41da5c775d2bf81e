"""The cluster's own API: what lives in it now, listed with the official client, which is loaded only where a list is asked for.

`token` needs neither that client nor the network: whoever only talks to OpenCost through the API server uses it alone.
"""
