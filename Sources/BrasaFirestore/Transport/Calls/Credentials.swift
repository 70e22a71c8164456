package import BrasaClientNetwork
package import BrasaCredentials
internal import BrasaGRPC
internal import BrasaStatus
package import NIOCore

/// The token that goes with calls: fetched once for all that wait for it, and kept until the server refuses it. Calls that
/// end no longer wait for it, and a provider that takes too long is left to itself and asked again by the next call.
///
/// Unchecked: on its event loop only; other threads pass the reference on.
package final class Credentials: @unchecked Sendable {
    private let eventLoop: any EventLoop
    private let owner: EventLoopThread?
    private let provider: TokenProvider?

    // All state is guarded by the event loop.
    private var token: Token?
    private var isRefresh = false
    private var waiting: [UInt64: Body] = [:]
    private var lastWaiter: UInt64 = 0
    private var fetch: Fetch?
    private var lastFetch: UInt64 = 0
    private var lastNumber: UInt64 = 0
    private let timeout: TimeAmount

    /// Calls that wait for a token. Past it they fail with RESOURCE_EXHAUSTED.
    static let waitingMax = 10_000

    typealias Body = (Result<Token, GRPCCallResult>) -> Void

    private struct Fetch {
        let number: UInt64
        let task: Task<Void, Never>
        let timer: Scheduled<Void>
    }

    package struct Token: Sendable {
        /// Nil: calls go without.
        package let text: String?
        /// Tells tokens apart, however equal.
        package let number: UInt64
    }

    /// Without a provider calls go without a token.
    package init(
        _ provider: TokenProvider?,
        eventLoop: any EventLoop,
        keeping owner: EventLoopThread? = nil,
        timeout: TimeAmount = .seconds(60)
    ) {
        self.owner = owner
        self.provider = provider
        self.eventLoop = eventLoop
        self.timeout = timeout
        if provider == nil { self.token = Token(text: nil, number: 0) }
    }

    /// The same token for ever: what emulators want, for example. It has no fault.
    package convenience init(fixed text: String?, eventLoop: any EventLoop) {
        self.init(nil, eventLoop: eventLoop)
        self.token = Token(text: text, number: 0)
    }

    /// Perhaps calls back before it returns, nil then. A failure is UNAUTHENTICATED.
    func withToken(_ body: @escaping Body) -> Waiter? {
        if let token = self.token {
            body(.success(token))
            return nil
        }
        guard self.waiting.count < Self.waitingMax else {
            let status = GRPCStatus(.resourceExhausted, "Too many calls wait for a token")
            body(.failure(GRPCCallResult(status, isSafeToRepeat: true)))
            return nil
        }
        self.lastWaiter += 1
        self.waiting[self.lastWaiter] = body
        if self.fetch == nil, let provider = self.provider { self.begin(provider) }
        return Waiter(credentials: self, number: self.lastWaiter)
    }

    var waitingCount: Int { self.waiting.count }

    /// A call that waits.
    struct Waiter {
        fileprivate let credentials: Credentials
        fileprivate let number: UInt64

        func cancel() { self.credentials.waiting[self.number] = nil }
    }

    private func begin(_ provider: @escaping TokenProvider) {
        let isRefresh = self.isRefresh
        let eventLoop = self.eventLoop
        self.lastFetch += 1
        let number = self.lastFetch
        let task = Task {
            let result: Result<String?, any Error>
            do {
                result = .success(try await BearerToken.fetch(from: provider, isRefresh: isRefresh))
            } catch {
                result = .failure(error)
            }
            eventLoop.execute { self.fetched(result, number) }
        }
        let timer = eventLoop.assumeIsolated().scheduleTask(in: self.timeout) {
            task.cancel()
            self.fetched(.failure(ProviderTimeout()), number)
        }
        self.fetch = Fetch(number: number, task: task, timer: timer)
    }

    private struct ProviderTimeout: Error, CustomStringConvertible {
        let description = "its provider takes too long"
    }

    private func fetched(_ result: Result<String?, any Error>, _ number: UInt64) {
        guard let fetch = self.fetch, fetch.number == number else { return }
        fetch.timer.cancel()
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
            outcome = .failure(GRPCCallResult(status, isSafeToRepeat: true, cause: error))
        }
        let waiting = self.waiting.sorted { $0.key < $1.key }
        self.waiting = [:]
        for (_, body) in waiting { body(outcome) }
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
        self.fetch?.timer.cancel()
        self.fetch?.task.cancel()
    }
}
