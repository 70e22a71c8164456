package import BrasaPlatform

/// Frames are counted from 1 without gaps; 0 is before the first.
package struct LogPosition: Hashable, Comparable, Sendable {
    package let index: UInt64

    package init(_ index: UInt64) { self.index = index }

    package var next: LogPosition { LogPosition(self.index + 1) }

    package static func < (left: LogPosition, right: LogPosition) -> Bool { left.index < right.index }
}

/// The right to append. `fence` is the engine's own mark of it.
package struct LogEpoch: Hashable, Sendable {
    package let number: UInt64
    package let fence: UInt64

    package init(number: UInt64, fence: UInt64) {
        self.number = number
        self.fence = fence
    }
}

package struct SharedLogHead: Hashable, Sendable {
    package let newest: LogPosition
    package let epoch: LogEpoch?

    package init(newest: LogPosition, epoch: LogEpoch?) {
        self.newest = newest
        self.epoch = epoch
    }
}

/// What is refused or unknown is asked again at once: an engine that cannot be reached waits before it answers.
package enum SharedLogError: Error, Hashable, Sendable {
    /// There is a newer epoch. What was asked for did not happen, unless it had before.
    case fenced
    /// The position holds other bytes.
    case taken
    /// It did not happen; later the same may succeed.
    case refused(String)
    /// It may have happened: to be asked again, with the same bytes.
    case unknown(String)
}

/// Who is answered, and where.
package struct SharedLogReply<Value: Sendable>: Sendable {
    package let mailbox: any Mailbox
    package let complete: @Sendable (Result<Value, SharedLogError>) -> Void

    package init(
        mailbox: any Mailbox,
        complete: @escaping @Sendable (Result<Value, SharedLogError>) -> Void
    ) {
        self.mailbox = mailbox
        self.complete = complete
    }

    package func post(_ result: Result<Value, SharedLogError>) {
        self.mailbox.post { self.complete(result) }
    }
}

/// A log of frames that several machines keep, so that it is durable and in one order wherever its users are. Each call is
/// answered once, on the reply's mailbox.
package protocol SharedLog: AnyObject, Sendable {
    /// Of this log alone: 16 bytes.
    var salt: [UInt8] { get }
    /// Most that a frame may have.
    var frameBytesMax: Int { get }

    /// Succeeds, once the frame is durable, only while `epoch` is the newest and `position` comes right after the newest
    /// frame, or holds these bytes already.
    func append(_ frame: [UInt8], at position: LogPosition, in epoch: LogEpoch, _ reply: SharedLogReply<Void>)

    /// Durable frames from a position on, whole ones: about `bytes` of them, at least one if there is any.
    func read(from position: LogPosition, bytes: Int, _ reply: SharedLogReply<[[UInt8]]>)

    /// Shows every append and claim that was answered before this was called.
    func head(_ reply: SharedLogReply<SharedLogHead>)

    /// Begins an epoch if none has begun since `seen`; nil when another was faster. The head that is answered is of the
    /// same moment: no frame of an older epoch can come after its `newest`.
    func claim(after seen: SharedLogHead, _ reply: SharedLogReply<SharedLogHead?>)
}
