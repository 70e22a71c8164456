package import BrasaGRPC
import BrasaStatus
package import NIOCore

/// How long a method's calls may take, and when they are repeated.
package struct CallPolicy: Sendable {
    /// For the call as a whole, its repetitions included. Nil for streams, which have no end of their own.
    package var timeout: TimeAmount?
    package var retry: GRPCRetryPolicy

    package init(timeout: TimeAmount?, retry: GRPCRetryPolicy) {
        self.timeout = timeout
        self.retry = retry
    }
}

/// A policy for each method. Beside its codes every call that the server has not begun to process is repeated.
package struct CallPolicies: Sendable {
    private var policies: [CallPolicy]

    /// One policy for all; `subscript` sets others.
    package init(all policy: CallPolicy) {
        self.policies = CallMethod.allCases.map { _ in policy }
    }

    package subscript(method: CallMethod) -> CallPolicy {
        get { self.policies[method.rawValue] }
        set { self.policies[method.rawValue] = newValue }
    }

    private static func retry(_ codes: Set<StatusCode>, answersOnly: Bool = false) -> GRPCRetryPolicy {
        GRPCRetryPolicy(
            codes: codes,
            answersOnly: answersOnly,
            initialBackoff: .milliseconds(100),
            multiplier: 2,
            backoffMax: .seconds(10),
            jitter: 0.3,
            attemptsMax: 6
        )
    }

    package static let standard: CallPolicies = {
        // Reads, and what may be done twice without harm.
        let repeatable = Self.retry([.deadlineExceeded, .resourceExhausted, .internal, .unavailable])
        var policies = CallPolicies(all: CallPolicy(timeout: .seconds(60), retry: repeatable))
        for method in [CallMethod.batchGetDocuments, .runQuery, .runAggregationQuery] {
            policies[method].timeout = .seconds(300)
        }
        // A commit that broke off may have been applied: repeated it would count increments twice, or meet its own
        // precondition's failure and report that as somebody else's. So only the server's own refusal is a reason.
        policies[.commit].retry = Self.retry([.resourceExhausted], answersOnly: true)
        policies[.batchWrite].retry = Self.retry([.resourceExhausted, .aborted], answersOnly: true)
        // Their owner opens them again.
        for method in [CallMethod.listen, .write] {
            policies[method] = CallPolicy(timeout: nil, retry: Self.retry([]))
            policies[method].retry.attemptsMax = 1
        }
        return policies
    }()
}
