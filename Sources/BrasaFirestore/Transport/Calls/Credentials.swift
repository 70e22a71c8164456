internal import BrasaGRPC
package import NIOCore

/// Where bearer tokens come from. Asked when there is none, and again, with true, when the server did not take the last.
package typealias TokenProvider = @Sendable (_ isRefresh: Bool) async throws -> String?

/// The token that goes with calls: fetched once for all that wait for it, and kept until the server refuses it.
///
/// Unchecked: on its event loop only; other threads pass the reference on.
package final class Credentials: @unchecked Sendable {
    private let eventLoop: any EventLoop
    private let provider: TokenProvider?

    // All state is guarded by the event loop.
    private var token: Token?
    private var isRefresh = false
    private var waiting: [(Result<Token, GRPCCallResult>) -> Void] = []
    private var fetch: Task<Void, Never>?
    private var lastNumber: UInt64 = 0

    package struct Token: Sendable {
        /// Nil: calls go without.
        package let text: String?
        /// Tells tokens apart, however equal.
        package let number: UInt64
    }

    /// Without a provider calls go without a token.
    package init(_ provider: TokenProvider?, eventLoop: any EventLoop) {
        self.provider = provider
        self.eventLoop = eventLoop
        if provider == nil { self.token = Token(text: nil, number: 0) }
    }

    /// The same token for ever: what emulators want, for example.
    package convenience init(fixed text: String?, eventLoop: any EventLoop) {
        self.init(nil, eventLoop: eventLoop)
        self.token = Token(text: text, number: 0)
    }

    /// Perhaps calls back before it returns. A failure is UNAUTHENTICATED.
    func withToken(_ body: @escaping (Result<Token, GRPCCallResult>) -> Void) {
        if let token = self.token { return body(.success(token)) }
        self.waiting.append(body)
        guard self.fetch == nil, let provider = self.provider else { return }
        let isRefresh = self.isRefresh
        let eventLoop = self.eventLoop
        self.fetch = Task {
            let result: Result<String?, any Error>
            do { result = .success(try await provider(isRefresh)) } catch { result = .failure(error) }
            eventLoop.execute { self.fetched(result) }
        }
    }

    private func fetched(_ result: Result<String?, any Error>) {
        self.fetch = nil
        let outcome: Result<Token, GRPCCallResult>
        switch result {
        case .success(let text):
            self.lastNumber += 1
            let token = Token(text: text, number: self.lastNumber)
            self.token = token
            self.isRefresh = false
            outcome = .success(token)
        case .failure(let error):
            let status = GRPCStatus(.unauthenticated, "No token could be fetched: \(error)")
            outcome = .failure(GRPCCallResult(status, isSafeToRepeat: true))
        }
        let waiting = self.waiting
        self.waiting = []
        for body in waiting { body(outcome) }
    }

    /// The server did not take the token: the next call fetches another. Late news of an older one change nothing; nil is
    /// about whichever there is.
    package func invalidate(_ token: Token? = nil) {
        guard self.provider != nil, let current = self.token, token == nil || token?.number == current.number else {
            return
        }
        self.token = nil
        self.isRefresh = true
    }

    /// Whether another token can be had at all.
    var canRefresh: Bool { self.provider != nil }

    package func close() {
        self.fetch?.cancel()
    }
}
