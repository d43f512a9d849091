"""The converters: one module for each conversion, with its name from the papers."""

if __name__ != "sejongud.converters":
    raise ImportError(f"import this package as sejongud.converters, not as {__name__}")
