import BrasaIdentity
import BrasaTree
import BrasaTreeEngine
package import BrasaTreeWatch
import BrasaTreeWire

/// What goes out, and what waits until the transport takes it.
extension TreeConversation {
    /// Whether what is to be sent has to wait.
    var isHeld: Bool { !self.outbox.isEmpty || !(self.transport?.isWritable ?? false) }

    func send(_ frame: [UInt8]) {
        guard !self.isClosing else { return }
        self.transport?.send(frame)
    }

    package func flush() { self.transport?.flush() }

    /// The transport keeps so much more of what was sent, until `took`.
    func keep(_ bytes: Int) {
        guard !self.isClosing else { return }
        self.kept.outgoing += bytes
        self.drawKept()
    }

    func took(_ bytes: Int) {
        guard !self.isClosing else { return }
        self.heard()
        self.kept.outgoing -= bytes
        self.drawKept()
    }

    /// The client is there, though it may have nothing to say.
    func heard() { self.connection.progressed(milliseconds: self.door.milliseconds) }

    func respond(_ ticket: TreeRequest.Ticket, _ status: TreeStatus, _ data: ResponseData = .empty) {
        guard !self.isClosing else { return }
        guard !self.isHeld else { return self.outbox.hold(ticket, status, data) }
        self.perform(self.connection.respond(ticket, status, data))
    }

    func push(_ push: TreePush) {
        for text in TreeConnection.frames(of: push) { self.send(text) }
    }

    /// A target is shown as it is now: at once, or when the socket takes it.
    func show(_ target: TreeTarget, _ push: TreePush) {
        if self.isHeld { self.outbox.note(target) } else { self.push(push) }
    }

    package func told(_ telling: TreeTelling) {
        let target = telling.notice.target
        guard !self.isClosing, let tag = self.tags[target] else { return }
        guard !self.isHeld else {
            self.outbox.note(target)
            return self.updateReading()
        }
        let frames =
            telling.encodings[tag.value] ?? TreeConnection.frames(of: TreePush(telling.notice.event, tag.value))
        telling.encodings[tag.value] = frames
        self.transport?.send(frames, sharing: &telling.scripts[tag.value])
    }

    func endListen(_ target: TreeTarget) {
        self.mark(target, nil)
        self.connection.end(target)
    }

    /// Nil for a listen that is over.
    func mark(_ target: TreeTarget, _ tag: Tag?) {
        let old = self.tags[target]
        self.tags[target] = tag
        _ = self.claim?.setListeners(self.tags.count)
        self.kept.listens += ((tag == nil ? 0 : 1) - (old == nil ? 0 : 1)) * target.keptBytes
    }

    /// The transport takes something again, or nothing any more.
    func writabilityChanged() {
        while !self.isClosing, self.transport?.isWritable ?? false, let item = self.outbox.next() {
            self.send(item)
        }
        self.resume()
        self.flush()
    }

    private func send(_ item: TreeOutbox.Item) {
        switch item {
        case .target(let target):
            guard let tag = self.tags[target], let node = self.session?.shown(target) else { return }
            guard node.estimate <= self.door.readBounds.shownBytesMax else {
                self.session?.unlisten(target)
                self.endListen(target)
                return self.push(.revoked(target))
            }
            self.push(.data(TreeLocation(target.path), node, tag: tag.value))
        case .answer(let ticket, let status, let data):
            self.perform(self.connection.respond(ticket, status, data))
        }
    }
}
