import NIOCore
import NIOWebSocket

/// What carries a conversation to its client. On one event loop.
protocol TreeTransport: AnyObject {
    var eventLoop: any EventLoop { get }

    /// Whether it takes more without keeping too much. It says when that changes (`TreeConversation.writabilityChanged`).
    var isWritable: Bool { get }

    /// As a WebSocket has it: a long message is several frames, after one with their number.
    func send(_ frame: [UInt8])
    /// The frames of one message that others are told as well.
    /// - Parameter script: the message as a script has it, once somebody has made that.
    func send(_ frames: [[UInt8]], sharing script: inout [UInt8]?)

    func flush()

    /// Whether what comes in is looked at.
    func setReading(_ isReading: Bool)

    /// The conversation has ended, and the client is told so.
    func close(_ code: WebSocketErrorCode)
}
