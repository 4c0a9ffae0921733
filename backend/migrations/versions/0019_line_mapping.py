"""What the user stated that part numbers are: kept once, used for every import and ranking."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.create_table(
        'line_mappings',
        sa.Column('id', sa.Text(), nullable=False),
        sa.Column('lines', postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column('updated_at', sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint('id'),
    )


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
