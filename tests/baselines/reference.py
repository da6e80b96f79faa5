"""Slow, obvious, dense twins of the baselines, written from their equations.

Counts are (D, N), gamma and eta (D, K) and (K,), E[log beta] (K, N).
"""

import numpy as np
from scipy.optimize import minimize
from scipy.special import digamma, gammaln, xlogy


def log_dirichlet(parameter):
    """E[log x] under Dirichlet distributions, one a row."""
    return digamma(parameter) - digamma(parameter.sum(axis=-1, keepdims=True))


def phi_of(gamma, log_beta):
    """(D, K, N): responsibilities at gamma."""
    with np.errstate(invalid="ignore"):
        log_phi = log_dirichlet(gamma)[:, :, None] + log_beta
        phi = np.exp(log_phi - log_phi.max(axis=1, keepdims=True))
        return np.nan_to_num(phi / phi.sum(axis=1, keepdims=True))


def gamma_of(counts, log_beta, eta, steps):
    """Gamma after some updates from eta + L / K."""
    gamma = eta + counts.sum(axis=1, keepdims=True) / len(eta)
    for _ in range(steps):
        gamma = eta + np.einsum("dn,dkn->dk", counts, phi_of(gamma, log_beta))
    return gamma


def log_dirichlet_density(prior, expected_log):
    """E[log Dir(x | prior)] from E[log x], summed over rows."""
    prior = np.broadcast_to(prior, expected_log.shape)
    constant = gammaln(prior.sum(axis=1)) - gammaln(prior).sum(axis=1)
    return (constant + ((prior - 1) * expected_log).sum(axis=1)).sum()


def documents_bound(counts, gamma, eta, log_beta):
    """The five terms of Blei, Ng and Jordan (2003), equation (15), at the best phi."""
    log_alpha, phi = log_dirichlet(gamma), phi_of(gamma, log_beta)
    weighted = counts[:, None, :] * phi
    finite = np.where(np.isfinite(log_beta), log_beta, 0.0)
    topics = np.einsum("dkn,dk->", weighted, log_alpha)
    words = np.einsum("dkn,kn->", weighted, finite)
    entropy = -(counts[:, None, :] * xlogy(phi, phi)).sum()
    proportions = log_dirichlet_density(eta, log_alpha)
    return (
        proportions + topics + words + entropy - log_dirichlet_density(gamma, log_alpha)
    )


def topics_bound(parameter, smoothing):
    """-KL of the posterior (M, N) of smoothed topics from their prior."""
    log_beta = log_dirichlet(parameter)
    prior = np.full(parameter.shape, smoothing)
    before = log_dirichlet_density(prior, log_beta)
    return before - log_dirichlet_density(parameter, log_beta)


def best_dirichlet(mean_log):
    """Maximum of the Dirichlet likelihood, by a generic optimiser over log eta."""

    def loss(log_eta):
        eta = np.exp(log_eta)
        return -(gammaln(eta.sum()) - gammaln(eta).sum() + eta @ mean_log)

    settings = {"gtol": 1e-10, "maxiter": 10000}
    return np.exp(minimize(loss, np.zeros(len(mean_log)), options=settings).x)


def plug_in(counts, proportions, components):
    """``sum c log(alpha beta)``."""
    return xlogy(counts, np.where(counts > 0, proportions @ components, 1.0)).sum()
