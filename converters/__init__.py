"""The converters: one module for each conversion, with its name from the papers."""

if __name__ != "sejongud.converters":
    raise ImportError(f"import the package sejongud.converters, not {__name__}")
