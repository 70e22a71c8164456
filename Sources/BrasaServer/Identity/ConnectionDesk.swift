import BrasaIdentity
import BrasaPlatform
import BrasaTokens
import NIOCore

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the connections of one event loop share of who asks. Only on that loop; unchecked, because connections are set up
/// with it on their way there, and what verifies carries it there.
final class LoopAdmissions: @unchecked Sendable {
    fileprivate typealias Later = @Sendable (Identification) -> Void

    /// Calls that wait for one token. Those that their clients have given up are among them.
    static let waitingMax = 1_024

    fileprivate var tokens = TokenCache()
    /// Who waits for a token to be verified. That is done once, however many show it meanwhile: all calls of a client that
    /// has a new one do.
    private var waiting: [[UInt8]: [Later]] = [:]
    /// False when too many wait for it already; `later` is not called then.
    fileprivate func verify(
        _ authorization: [UInt8],
        by desk: TokenDesk,
        for visitor: Visitor,
        on eventLoop: any EventLoop,
        _ later: @escaping Later
    ) -> Bool {
        let count = self.waiting[authorization]?.count ?? 0
        guard count < Self.waitingMax else { return false }
        self.waiting[authorization, default: []].append(later)
        guard count == 0 else { return true }
        desk.verify(authorization, from: visitor) { outcome in
            eventLoop.execute { self.answer(outcome, for: authorization) }
        }
        return true
    }

    private func answer(_ outcome: TokenDesk.Outcome, for authorization: [UInt8]) {
        let identification: Identification
        switch outcome {
        case .admitted(let token, let admission):
            self.tokens.insert(token, admission, for: authorization)
            identification = .admitted(admission)
        case .refused: identification = .refused
        case .busy: identification = .busy
        }
        for later in self.waiting.removeValue(forKey: authorization) ?? [] { later(identification) }
    }
}

/// Says who asks on one connection. Most calls show the token of the call before: those cost a comparison.
///
/// Unchecked, because all of it is used on the connection's event loop; what verifies carries it there.
final class ConnectionDesk: @unchecked Sendable {
    private struct Last {
        let authorization: [UInt8]
        let token: VerifiedToken
        let admission: Admission

        func has(_ authorization: UnsafeRawBufferPointer) -> Bool {
            guard self.authorization.count == authorization.count, let start = authorization.baseAddress else {
                return false
            }
            return self.authorization.withUnsafeBytes { memcmp($0.baseAddress ?? start, start, $0.count) == 0 }
        }
    }

    private let desk: TokenDesk
    private let loop: LoopAdmissions
    private let visitor: Visitor
    private let eventLoop: any EventLoop
    /// Of who shows a certificate and no token.
    private let certificate: Admission?
    /// Of who shows nothing.
    private let nobody: Admission
    /// The same where rules let nobody in besides.
    private let tool: Admission
    /// Of everybody, while nothing checks who calls.
    private let owner: Admission
    private var last: Last?

    init(_ desk: TokenDesk, _ visitor: Visitor, _ loop: LoopAdmissions, on eventLoop: any EventLoop) {
        self.desk = desk
        self.visitor = visitor
        self.loop = loop
        self.eventLoop = eventLoop
        let share = desk.share(of: .address(visitor.address))
        self.certificate = visitor.certificate.map { certificate in
            let (share, expires) = (desk.share(of: .certificate(certificate.bytes)), certificate.expires)
            return Admission(.administrator, share: share, isAmbient: true) { desk.now < expires }
        }
        self.nobody = Admission(.nobody, share: share)
        self.tool = Admission(.nobody, share: share, isAmbient: true)
        self.owner = Admission(.administrator, share: share, isAmbient: true) { desk.isOpen }
    }

    var reception: Reception {
        .desk(recognize: { self.recognize($0) }, identify: { self.identify($0, $1) })
    }

    private var plain: Admission {
        if let certificate = self.certificate, certificate.stands { return certificate }
        return self.desk.isOpenToTools ? self.tool : self.nobody
    }

    private func recognize(_ authorization: UnsafeRawBufferPointer?) -> Admission? {
        // What tools of an emulator show says who they test for; elsewhere an open server has no use for it.
        if self.desk.isOpen, authorization == nil || !self.desk.isEmulator { return self.owner }
        guard let authorization else { return self.plain }
        let (verifier, now) = (self.desk.verifier, self.desk.now)
        if let last = self.last, last.has(authorization), last.token.stands(verifier, at: now) {
            return last.admission
        }
        self.last = nil
        guard let (token, admission) = self.loop.tokens.known(authorization, by: verifier, at: now) else { return nil }
        self.last = Last(authorization: Array(authorization), token: token, admission: admission)
        return admission
    }

    private func identify(
        _ credentials: Credentials,
        _ later: @escaping @Sendable (Identification) -> Void
    ) -> Identification? {
        guard let authorization = credentials.authorization else { return .admitted(self.plain) }
        let waits = self.loop.verify(authorization, by: self.desk, for: self.visitor, on: self.eventLoop, later)
        return waits ? nil : .busy
    }
}
