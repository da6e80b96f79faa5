"""Slow, obvious, dense twins of the baselines, written from their equations.

Counts are (D, N), gamma and eta (D, K) and (K,), E[log beta] (K, N).
"""

import numpy as np
from scipy.optimize import minimize, minimize_scalar
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


def by_word(counts, beta, eta, max_steps, tol):
    """Gamma (D, K), phi (D, K, N) and bounds (D,) of documents, word after word."""
    with np.errstate(divide="ignore"):
        log_beta = np.log(beta)
    gamma, phi = np.empty((len(counts), len(eta))), np.zeros((len(counts), *beta.shape))
    bounds = np.full(len(counts), -np.inf)
    for d, row in enumerate(counts):
        words = np.flatnonzero(row)
        phi[d][:, words] = 1.0 / len(eta)
        for _ in range(max_steps):
            for n in words:
                gamma[d] = eta + phi[d] @ row
                log_phi = digamma(gamma[d]) + log_beta[:, n]
                own = np.exp(log_phi - log_phi.max())
                phi[d][:, n] = own / own.sum()
            gamma[d] = eta + phi[d] @ row
            before, bounds[d] = bounds[d], given_bound(row, gamma[d], phi[d], eta, beta)
            if before > -np.inf and abs(bounds[d] - before) <= tol * abs(before):
                break
    return gamma, phi, bounds


def given_bound(row, gamma, phi, eta, beta):
    """Blei, Ng and Jordan (2003), equation (15), of one document, term by term."""
    log_alpha = log_dirichlet(gamma)
    proportions = log_dirichlet_density(eta, log_alpha[None])
    topics = (phi * row).sum(axis=1) @ log_alpha
    words = (row * xlogy(phi, beta)).sum()
    entropy = -(row * xlogy(phi, phi)).sum()
    own = log_dirichlet_density(gamma[None], log_alpha[None])
    return proportions + topics + words + entropy - own


def fit_by_word(counts, beta, eta, iterations, max_steps, tol):
    """Bounds of some iterations of EM; eta is one number, found by a generic search."""
    n_topics, found = len(beta), []
    for _ in range(iterations):
        gamma, phi, bounds = by_word(
            counts, beta, np.full(n_topics, eta), max_steps, tol
        )
        found.append(bounds.sum())
        beta = np.einsum("dn,dkn->kn", counts, phi)
        beta = beta / beta.sum(axis=1, keepdims=True)
        mean_log = log_dirichlet(gamma).mean(axis=0).sum()

        def loss(log_eta, mean_log=mean_log):
            one = np.exp(log_eta)
            inside = gammaln(n_topics * one) - n_topics * gammaln(one)
            return -(inside + one * mean_log)

        limits = (np.log(eta) - 10, np.log(eta) + 10)
        options = {"xatol": 1e-11}
        eta = np.exp(
            minimize_scalar(loss, bounds=limits, method="bounded", options=options).x
        )
    return np.array(found)


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
