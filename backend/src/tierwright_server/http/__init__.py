"""What every endpoint shares: context, problems, paging, CSV, the OpenAPI document."""
