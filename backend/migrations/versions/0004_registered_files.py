"""Files that are registered by their path instead of uploaded."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column('uploads', sa.Column('source_path', sa.Text(), nullable=True))
    op.add_column('uploads', sa.Column('source_mtime_ns', sa.BigInteger(), nullable=True))
    op.drop_constraint('complete', 'uploads', type_='check')
    op.create_check_constraint(
        'complete',
        'uploads',
        'NOT complete OR sha256 IS NOT NULL OR source_path IS NOT NULL',
    )


def downgrade() -> None:
    raise NotImplementedError("restore a backup instead")
