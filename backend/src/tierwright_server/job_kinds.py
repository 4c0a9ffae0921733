"""The table of job kinds: what a worker prepares, what is kept. One line adds a kind."""

from tierwright_server.jobs.kinds import JobKind, Kinds
from tierwright_server.jobs.runs.states import RunKind
from tierwright_server.questions.compare.check import jobs as simulate
from tierwright_server.questions.quote_rankings import jobs as quote_ranking
from tierwright_server.questions.transaction_studies import jobs as transaction_study
from tierwright_server.replays import rows
from tierwright_server.replays.analyses import jobs as analysis
from tierwright_server.replays.analyses.compute import COMPUTE as ANALYSES
from tierwright_server.replays.miniatures import jobs as miniature
from tierwright_server.replays.sweeps import jobs as sweep
from tierwright_server.traces.uploads import jobs as fetch
from tierwright_server.traces.workloads import jobs as ingest

KINDS: Kinds = {
    RunKind.FETCH: JobKind(fetch.prepare, fetch.finish, fetch.cleanup, made=fetch.made),
    RunKind.INGEST: JobKind(
        ingest.prepare, ingest.finish, resumes=True, made=ingest.made
    ),
    RunKind.SIMULATE: JobKind(simulate.prepare, simulate.finish),
    RunKind.SWEEP: JobKind(
        sweep.prepare, rows.finish_of("configuration", "replayed"), keep=rows.keep
    ),
    RunKind.MINIATURE: JobKind(
        miniature.prepare, rows.finish_of("size", "estimated"), keep=rows.keep
    ),
    RunKind.ADVICE_CHECK: JobKind(
        sweep.prepare,
        # Several options may share one replay: what is counted is replays, as in the title of the run.
        rows.finish_of("replay", "replayed", "made"),
        keep=rows.keep,
    ),
    RunKind.QUOTE_RANKING: JobKind(quote_ranking.prepare, quote_ranking.finish),
    RunKind.TRANSACTION_STUDY: JobKind(
        transaction_study.prepare, transaction_study.finish, keep=transaction_study.keep
    ),
    **dict.fromkeys(
        map(RunKind, ANALYSES),
        JobKind(analysis.prepare, analysis.finish, made=analysis.made),
    ),
}
