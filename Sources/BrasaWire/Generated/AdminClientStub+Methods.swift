// Made by scripts/generate from proto/. Do not edit.

package import BrasaGRPC
package import BrasaMessages

extension AdminClientStub {
    @discardableResult
    package func listIndexes(
        _ request: ListIndexesRequest,
        completion: @escaping (Result<ListIndexesResponse, GRPCCallResult>) -> Void
    ) -> GRPCClientCall {
        self.calls.unary(0, request, completion)
    }
}
