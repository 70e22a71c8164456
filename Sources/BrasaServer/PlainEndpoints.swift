import BrasaDocuments
import BrasaHTTP
import BrasaMessages
import BrasaService

/// What is answered over plain HTTP: `GET /` for tools that wait for the emulator, `/livez` and `/readyz` for probes, `GET
/// /metrics` for Prometheus unless that has an address of its own, `POST /token` for clients with a key file, and the
/// emulator's endpoint that clears a database.
enum PlainEndpoints {
    private static let database = "/emulator/v1/projects/{project}/databases/{database}/documents"

    static func router(
        emulator: Bool,
        service: FirestoreService,
        tokens: TokenEndpoint,
        observation: Observation,
        hasMetrics: Bool
    ) -> HTTPRouter {
        var router = HTTPRouter()
        router.get("/", for: .everybody) { HTTPAnswer(200, "Ok\n") }
        observation.addProbes(to: &router)
        if hasMetrics {
            router.get("/metrics", for: .inspectors) { observation.metrics }
        } else {
            router.refuse("/metrics") { _ in HTTPAnswer(404, "the metrics are served on --metrics-address\n") }
        }
        tokens.register(in: &router)
        if emulator {
            router.add(
                ["DELETE"],
                Self.database,
                for: .administrators,
                otherwise: { _ in HTTPAnswer(404, "only DELETE is served here\n") },
                { request, answer in Self.clear(request, service, answer) }
            )
        } else {
            router.refuse(Self.database) { _ in
                HTTPAnswer(403, "this server runs without --emulator, so databases cannot be cleared\n")
            }
        }
        // A method's path, and no call of it: it would say so.
        router.refuse("/{service}/{method}") { method in
            method == "POST"
                ? HTTPAnswer(415, "methods are called by application/grpc\n")
                : HTTPAnswer(404, "nothing is served here\n")
        }
        return router
    }

    private static func clear(
        _ request: HTTPRequest,
        _ service: FirestoreService,
        _ answer: @escaping @Sendable (HTTPAnswer) -> Void
    ) {
        let name = "projects/\(request.parameters[0])/databases/\(request.parameters[1])"
        guard let database = try? DatabaseName(parsing: name.utf8) else {
            return answer(HTTPAnswer(404, "nothing is served at \(request.path)\n"))
        }
        service.clear(database) { error in
            answer(
                error.map { HTTPAnswer(503, "\($0)\n") }
                    ?? HTTPAnswer(200, contentType: "application/json; charset=utf-8", "{}")
            )
        }
    }
}
