"""Answers what Argo CD's extension proxy asks."""
