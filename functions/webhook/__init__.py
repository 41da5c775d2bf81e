"""Takes Argo CD's notifications of syncs and puts them into the queue."""
