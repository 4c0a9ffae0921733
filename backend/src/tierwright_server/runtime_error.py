"""The error of everything that starts, supervises or locks."""


class RuntimeFailure(Exception):
    """The application cannot start or go on.

    Attributes
    ----------
    message
        What went wrong, with the path, process or value concerned.
    hint
        The next step for the person who started it.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}\nhint: {hint}")
        self.message = message
        self.hint = hint
