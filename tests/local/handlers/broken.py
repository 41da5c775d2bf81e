raise RuntimeError("not importable")
