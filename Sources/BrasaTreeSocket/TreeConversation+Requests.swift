import BrasaIdentity
import BrasaPlatform
package import BrasaTree
import BrasaTreeEngine
import BrasaTreeJudging
import BrasaTreeWatch
import BrasaTreeWire
import NIOCore

extension TreeConversation {
    func perform(_ request: Request, _ session: TreeSession) {
        let ticket = request.ticket
        switch request.action {
        case .stats, .appCheck, .unAppCheck: self.respond(ticket, .ok)
        case .listen(let target, let tag, let hash, let compound):
            self.listen(to: target, tag: tag, hash, compound, ticket, session)
        case .unlisten(let target, _):
            session.unlisten(target)
            self.mark(target, nil)
            self.respond(ticket, .ok)
        case .put(let write, let hash), .merge(let write, let hash):
            self.write(write, expecting: hash, request, session)
        case .get(let target):
            guard self.mayWorkOut(target, session) else { return self.refuse(target, ticket, session) }
            switch session.read(target) {
            case .node(let node) where node.estimate > self.door.readBounds.shownBytesMax:
                self.respond(ticket, .tooBig, .text(ReadBounds.tooBig))
            case .node(let node): self.respond(ticket, .ok, .node(node))
            case .denied: self.deny(ticket)
            case .notIndexed(let text): self.respond(ticket, .error, .text(text))
            }
        case .onDisconnectPut(let write), .onDisconnectMerge(let write):
            self.turnChildren += (session.disconnectPlaces + write.assignments.count) * ReadBounds.childrenOfPlace
            session.writeOnDisconnect(write, then: self.whenLeft(request))
            self.kept.disconnect = session.disconnectBytes
        case .onDisconnectCancel(let place):
            self.turnChildren += session.disconnectPlaces * ReadBounds.childrenOfPlace
            session.cancelOnDisconnect(at: place, then: self.whenLeft(request))
            self.kept.disconnect = session.disconnectBytes
        case .authenticate(let credential): self.authenticate(credential, ticket)
        case .unauthenticate: self.unauthenticate(ticket)
        }
    }

    /// Answers when what the session leaves is durable. Requests behind it do not wait for that: it changes nothing that
    /// they show.
    private func whenLeft(_ request: Request) -> @Sendable (TreeLeaveResult) -> Void {
        self.kept.requests += request.bytes
        return { result in
            guard !self.isClosing else { return }
            self.kept.requests -= request.bytes
            self.respond(request.ticket, result.status, result.data)
            self.resume()
            self.flush()
        }
    }

    private func deny(_ ticket: TreeRequest.Ticket) {
        self.respond(ticket, .permissionDenied, .text("Permission denied"))
    }

    /// Counts what is gone through; false when that is too much.
    private func mayWorkOut(_ target: TreeTarget, _ session: TreeSession) -> Bool {
        let node = session.node(at: target.path)
        let children = ReadBounds.children(of: target, node)
        let bounds = self.door.readBounds
        guard children <= bounds.queryChildrenMax, node.nodeCount <= bounds.nodesMax else { return false }
        self.turnChildren += children
        return true
    }

    /// Who may not read is not told how much there is.
    private func refuse(_ target: TreeTarget, _ ticket: TreeRequest.Ticket, _ session: TreeSession) {
        guard session.mayRead(target) else { return self.deny(ticket) }
        self.respond(ticket, .tooBig, .text(ReadBounds.tooBig))
    }

    private func listen(
        to target: TreeTarget,
        tag: Int64?,
        _ hash: String,
        _ compound: CompoundHash?,
        _ ticket: TreeRequest.Ticket,
        _ session: TreeSession
    ) {
        guard self.mayWorkOut(target, session), self.door.readBounds.mayKeep(session.newIndex(for: target)) else {
            session.unlisten(target)
            self.endListen(target)
            return self.refuse(target, ticket, session)
        }
        let node = session.node(at: target.path)
        // Where it would take too long to compare, it is another.
        let known = self.door.readBounds.mayHash(node) ? hash : ""
        let ranges = node.nodeCount <= self.door.readBounds.hashNodesMax ? compound : nil
        guard let start = session.listen(to: target, holding: known, ranges) else {
            self.endListen(target)
            return self.deny(ticket)
        }
        var refusal: String?
        if case .whole(let node) = start.content, node.estimate > self.door.readBounds.shownBytesMax {
            refusal = ReadBounds.tooBig
        } else if self.claim?.setListeners(self.tags.count + (self.tags[target] == nil ? 1 : 0)) == false {
            refusal = "There are too many listeners of this caller"
        }
        if let refusal {
            session.unlisten(target)
            self.endListen(target)
            return self.respond(ticket, .tooBig, .text(refusal))
        }
        self.mark(target, Tag(value: tag))
        switch start.content {
        case .same: break
        case .whole(let node): self.show(target, .data(TreeLocation(target.path), node, tag: tag))
        case .merges(let merges): self.show(target, .rangeMerges(target.path, merges, tag: tag))
        }
        self.respond(ticket, .ok, .value(start.isIndexed ? .object([]) : ["w": ["no_index"]]))
    }

    // MARK: Who asks

    private func authenticate(_ credential: TreeCredential, _ ticket: TreeRequest.Ticket) {
        self.identify(Array("Bearer \(credential.token)".utf8)) { identification in
            switch identification {
            // Of a page that anybody may have made: what it shows, anybody could.
            case .admitted(let admission) where !admission.mayBeUsed(by: self.page):
                self.respond(ticket, .invalidToken, .text("Pages of other origins have to show a token"))
            case .admitted(let admission):
                guard self.take(admission) else { return }
                self.respond(ticket, .ok)
                self.session?.identify(as: TreeIdentity(admission.caller, override: credential.override))
            case .refused: self.respond(ticket, .invalidToken, .text("The token is not valid"))
            case .busy: self.respond(ticket, .unavailable, .text("The token cannot be verified now"))
            }
        }
    }

    private func unauthenticate(_ ticket: TreeRequest.Ticket) {
        self.identify(nil) { identification in
            let admission =
                if case .admitted(let known) = identification, known.mayBeUsed(by: self.page) {
                    known
                } else {
                    Admission(.nobody, share: self.admission.share)
                }
            guard self.take(admission) else { return }
            self.respond(ticket, .ok, .text("unauthenticated"))
            self.session?.identify(as: TreeIdentity(self.admission.caller))
        }
    }

    /// Requests behind it wait for what comes of it.
    private func identify(_ authorization: [UInt8]?, _ done: @escaping @Sendable (Identification) -> Void) {
        self.isAuthenticating = true
        let mailbox = self.door.watcher.mailbox
        let finish: @Sendable (Identification) -> Void = { identification in
            self.isAuthenticating = false
            done(identification)
            self.resume()
            self.flush()
        }
        let known = self.reception.identify(authorization) { later in mailbox.post { finish(later) } }
        if let known { finish(known) }
    }

    /// What let the client in has ended. What it leaves it left before.
    func becomeNobody() {
        if self.admission.caller == .nobody { return }
        guard self.take(Admission(.nobody, share: self.admission.share)) else { return }
        self.push(.authRevoked(.expiredToken, reason: "The token has expired or was revoked"))
        self.session?.identify(as: TreeIdentity(.nobody), leavesAsBefore: true)
    }

    package func revoked(_ target: TreeTarget) {
        guard self.tags[target] != nil else { return }
        self.endListen(target)
        self.push(.revoked(target))
    }
}

extension TreeAction {
    var isWrite: Bool {
        switch self {
        case .put, .merge: true
        default: false
        }
    }
}
