"""How the file of a workload is read is one document, not a column an option."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0014"
down_revision = "0013"

_OPTIONS = (
    "format",
    "page_bytes",
    "columns",
    "skip_bad_records",
    "device_bytes",
    "members_apart",
    "members_merged",
)


def upgrade() -> None:
    op.add_column('workloads', sa.Column('reading', postgresql.JSONB(), nullable=True))
    options = ", ".join(f"'{name}', {name}" for name in _OPTIONS)
    op.execute(f"UPDATE workloads SET reading = jsonb_build_object({options})")
    op.alter_column('workloads', 'reading', nullable=False)
    for name in _OPTIONS:
        op.drop_column('workloads', name)


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
