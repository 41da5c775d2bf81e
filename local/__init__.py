"""The whole stack on one machine: the same functions, wired by interpreting the synthesized template."""
