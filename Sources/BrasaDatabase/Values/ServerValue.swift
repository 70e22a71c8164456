public import Foundation

/// Values that the server works out when it carries a write out. Until then they are estimated.
public final class ServerValue: Sendable {
    private init() {}

    /// The time of the write, in milliseconds since 1970.
    public class func timestamp() -> [AnyHashable: Any] { [".sv": "timestamp"] }

    /// The number that is there plus this one; what is no number counts as nothing. A write whose acknowledgement was lost
    /// is sent again, and counts twice if it had been carried out.
    public class func increment(_ delta: NSNumber) -> [AnyHashable: Any] { [".sv": ["increment": delta]] }
}
