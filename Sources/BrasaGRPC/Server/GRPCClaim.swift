/// What a call takes of what its caller may, until it is let go of.
package protocol GRPCClaim: AnyObject, Sendable {
    /// The call keeps so many bytes now. Why it may not, if its caller has as many as they may.
    func keep(_ bytes: Int) -> GRPCStatus?
}
