import BrasaService
import NIOCore

/// The service of each event loop. Made once before the first connection; only read afterwards.
struct ServiceDirectory: Sendable {
    private let services: [ObjectIdentifier: FirestoreService]

    init(group: any EventLoopGroup, make: (any EventLoop) -> FirestoreService) {
        var services: [ObjectIdentifier: FirestoreService] = [:]
        for eventLoop in group.makeIterator() {
            services[ObjectIdentifier(eventLoop)] = make(eventLoop)
        }
        self.services = services
    }

    /// - Precondition: the loop is one of the group's.
    func service(on eventLoop: any EventLoop) -> FirestoreService {
        guard let service = self.services[ObjectIdentifier(eventLoop)] else {
            preconditionFailure("a connection on a loop that is not the server's")
        }
        return service
    }
}
