import BrasaTree
import BrasaTreeEngine
import BrasaTreeWatch
import BrasaTreeWire
import NIOWebSocket

extension TreePush {
    init(_ event: TreeNotice.Event, _ tag: Int64?) {
        switch event {
        case .value(let location, let node): self = .data(location, node, tag: tag)
        case .merge(let path, let parts): self = .merge(path, parts, tag: tag)
        }
    }
}

extension TreeWriteResult {
    var status: TreeStatus {
        switch self {
        case .written: .ok
        case .stale: .dataStale
        case .denied: .permissionDenied
        case .refused: .invalidData
        case .failed(let failure, _): failure.status
        }
    }

    var data: ResponseData {
        switch self {
        case .written: .empty
        case .stale: .text("Transaction hash does not match")
        case .denied: .text("Permission denied")
        case .refused(let error): .text(error.description)
        case .failed(_, let message): .text(message)
        }
    }
}

extension TreeWriteResult.Failure {
    fileprivate var status: TreeStatus {
        switch self {
        case .unavailable: .unavailable
        case .tooLarge: .tooBig
        case .unknown: .error
        }
    }
}

extension TreeLeaveResult {
    var status: TreeStatus {
        switch self {
        case .kept: .ok
        case .denied: .permissionDenied
        case .tooMuch: .tooBig
        case .failed(let failure, _): failure.status
        }
    }

    var data: ResponseData {
        switch self {
        case .kept: .empty
        case .denied: .text("Permission denied")
        case .tooMuch: .text("More than a session may leave to be written")
        case .failed(_, let message): .text(message)
        }
    }
}

extension WireFault {
    /// Why the socket is closed.
    var code: WebSocketErrorCode {
        switch self {
        case .invalidFrameCount, .malformedMessage: .protocolError
        case .messageTooLong: .messageTooLarge
        case .tooManyRequests, .tooManySegments, .silent: .policyViolation
        }
    }
}
