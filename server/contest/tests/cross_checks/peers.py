"""What choix and openskill make of the rankings that come on standard input as JSON.

Each case of the input has `bots`, `rankings` (the bots of a match, the best first), `ridge` and
`log_odds`, the ratings that are to be checked. The answer has for each case the ratings that choix
finds, and the derivatives of the likelihood at `log_odds` that openskill's updates amount to.
"""

import json
import sys

import choix
from openskill.models import PlackettLuce

# Small against beta, so that openskill's scale is that of beta alone and an update hardly moves.
SIGMA = 1e-3


def fitted(case: dict) -> list[float]:
    """Fit all rankings at once with choix, whose penalty is twice ours."""
    bots, rankings, ridge = case["bots"], case["rankings"], case["ridge"]
    if ridge == 0:
        found = choix.ilsr_rankings(bots, rankings, tol=1e-10)
    else:
        found = choix.opt_rankings(bots, rankings, alpha=ridge / 2, method="BFGS", tol=1e-7)
    return list(found - found.mean())


def derivatives(case: dict) -> tuple[list[float], list[float]]:
    """Add up what openskill changes for each match played between bots of these log odds.

    Its update of a mean is the slope of the log-likelihood, and that of a variance the curvature,
    times powers of sigma and of the scale c (Weng and Lin 2011, algorithm 4).
    """
    slope, curvature = [0.0] * case["bots"], [0.0] * case["bots"]
    model = PlackettLuce(mu=0.0, sigma=SIGMA, beta=1.0, tau=0.0, gamma=lambda *_: 1.0)
    for ranking in case["rankings"]:
        c = (len(ranking) * (1.0 + SIGMA**2)) ** 0.5
        before = [c * case["log_odds"][bot] for bot in ranking]
        teams = [[model.rating(mu=mu, sigma=SIGMA)] for mu in before]
        after = model.rate(teams, ranks=[float(place) for place in range(len(teams))])
        for bot, mu, [rated] in zip(ranking, before, after, strict=True):
            slope[bot] += (rated.mu - mu) * c / SIGMA**2
            curvature[bot] += (1.0 - (rated.sigma / SIGMA) ** 2) * c**2 / SIGMA**2
    return slope, curvature


def main() -> None:
    """Answer every case."""
    answers = []
    for case in json.load(sys.stdin):
        slope, curvature = derivatives(case) if case["asks_openskill"] else ([], [])
        answers.append({"log_odds": fitted(case), "slope": slope, "curvature": curvature})
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
