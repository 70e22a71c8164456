/// `grpc.health.v1.HealthCheckRequest`, of both methods.
package struct HealthCheckRequest: Hashable, Sendable {
    /// Empty: the server as a whole.
    package var service: String

    package init(service: String = "") {
        self.service = service
    }
}

package struct HealthCheckResponse: Hashable, Sendable {
    package var status: ServingStatus

    package init(status: ServingStatus) {
        self.status = status
    }
}

/// By the numbers that messages have them in.
package enum ServingStatus: Int32, CaseIterable, Hashable, Sendable {
    case unknown = 0
    case serving = 1
    case notServing = 2
    /// Only in answers to Watch: nobody has set the service's status.
    case serviceUnknown = 3
}
