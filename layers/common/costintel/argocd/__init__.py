"""What Argo CD sends: notifications of syncs, and requests through its extension proxy."""
