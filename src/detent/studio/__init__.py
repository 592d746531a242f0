"""The studio: a model in the browser, to look at, to change and to run again."""
