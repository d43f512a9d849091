"""The converters, one module a conversion, named as the papers name it."""

if __name__ != "sejongud.converters":
    raise ImportError(f"this folder is the package sejongud.converters, not {__name__}")
