"""Addresses that carry secrets are never shown with them."""

import pytest

from tierwright.trace.sources.address import Address, parse, without_secrets


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # A password may hold what separates the parts of an address.
        ("s3://AKIA:wJal/rXUtn@bucket/day1.csv", "s3://***@bucket/day1.csv"),
        ("s3://AKIA:wJ@al/rX@bucket/day1.csv", "s3://***@bucket/day1.csv"),
        ("s3://AKIA:wJal?rXUtn@bucket/day1.csv", "s3://***@bucket/day1.csv"),
        ("s3://AKIA:wJal/rXUtn", "s3://***"),
        ("s3://AKIA@bucket/day1.csv", "s3://***@bucket/day1.csv"),
        ("az://container?sig=x", "az://container?***"),
        ("az://container/day1.csv?sv=1&sig=x", "az://container/day1.csv?***"),
        ("az://container/day1.csv?\nsig=x", "az://container/day1.csv?***"),
        # What is no secret is shown as it is.
        ("s3://bucket/a@b:c.csv", "s3://bucket/a@b:c.csv"),
        ("day1.csv", "day1.csv"),
    ],
)
def test_what_is_shown_of_an_address(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "s3://AKIA:wJal/rXUtn@bucket/day1.csv",
        "s3://AKIA@bucket/day1.csv",
        "az://container?sig=wJal",
        "az://container/day1.csv?sig=wJal",
    ],
)
def test_an_address_with_a_secret_is_refused_without_it(text: str) -> None:
    with pytest.raises(ValueError) as error:  # noqa: PT011  # the text is what is checked
        parse(text)
    said = str(error.value)
    assert not any(secret in said for secret in ("AKIA", "wJal", "rXUtn", "sig="))


def test_a_wrong_name_without_secrets_is_shown() -> None:
    with pytest.raises(ValueError, match="has `A_Bucket` for a bucket"):
        parse("s3://A_Bucket/day1.csv")
    assert parse("s3://bucket/a@b:c.csv") == Address("bucket", "a@b:c.csv")
