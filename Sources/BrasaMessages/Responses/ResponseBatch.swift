/// Several responses of a stream that are sent one right after the other. None of them is made before it is asked for, so a
/// door that knows what a batch is made of can write them all without.
package protocol ResponseBatch<Response>: AnyObject, Sendable {
    associatedtype Response: Sendable

    /// How many responses there are.
    var count: Int { get }
    /// About how many bytes they are together.
    var byteCount: Int { get }

    func response(at index: Int) -> Response
}
