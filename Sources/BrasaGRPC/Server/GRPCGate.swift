package import BrasaHTTP2

/// Asked for every call when its headers are known and its method is found: may it go on? On the call's event loop. Nothing
/// of the request's body has been looked at.
///
/// An answer that is known costs nothing. One that takes time is `waiting`: the call is held until `GRPCServerCall.admit`
/// or its end, whichever comes first. While it is held its messages wait unread and uncredited, so that a client can send
/// no more than a stream's window; it can be cancelled (`onCancel`), its deadline counts, and the connection may be
/// drained. Its time for sending the request begins when it is admitted: whoever lets it wait bounds that.
package typealias GRPCGate = @Sendable (GRPCServerCall, HTTP2Headers) -> GRPCAdmission

package enum GRPCAdmission: Sendable {
    case admitted
    case waiting
    case refused(GRPCStatus)
}
