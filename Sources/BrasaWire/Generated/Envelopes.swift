// Made by scripts/generate from proto/. Do not edit.

internal import CBrasaFirestoreV1
internal import CBrasaProtobufC

typealias TimestampEnvelope = Brasa__Wire__Timestamp
typealias DocumentMaskEnvelope = Brasa__Wire__DocumentMask
typealias PreconditionEnvelope = Brasa__Wire__Precondition
typealias TransactionOptionsEnvelope = Brasa__Wire__TransactionOptions
typealias TransactionOptionsReadWriteEnvelope = Brasa__Wire__TransactionOptions__ReadWrite
typealias TransactionOptionsReadOnlyEnvelope = Brasa__Wire__TransactionOptions__ReadOnly
typealias DocumentEnvelope = Brasa__Wire__Document
typealias WriteEnvelope = Brasa__Wire__Write
typealias DocumentTransformEnvelope = Brasa__Wire__DocumentTransform
typealias FieldTransformEnvelope = Brasa__Wire__FieldTransform
typealias ArrayValueEnvelope = Brasa__Wire__ArrayValue
typealias WriteResultEnvelope = Brasa__Wire__WriteResult
typealias StatusEnvelope = Brasa__Wire__Status
typealias GetDocumentRequestEnvelope = Brasa__Wire__GetDocumentRequest
typealias ListDocumentsRequestEnvelope = Brasa__Wire__ListDocumentsRequest
typealias ListDocumentsResponseEnvelope = Brasa__Wire__ListDocumentsResponse
typealias CreateDocumentRequestEnvelope = Brasa__Wire__CreateDocumentRequest
typealias UpdateDocumentRequestEnvelope = Brasa__Wire__UpdateDocumentRequest
typealias DeleteDocumentRequestEnvelope = Brasa__Wire__DeleteDocumentRequest
typealias BatchGetDocumentsRequestEnvelope = Brasa__Wire__BatchGetDocumentsRequest
typealias BatchGetDocumentsResponseEnvelope = Brasa__Wire__BatchGetDocumentsResponse
typealias BeginTransactionRequestEnvelope = Brasa__Wire__BeginTransactionRequest
typealias BeginTransactionResponseEnvelope = Brasa__Wire__BeginTransactionResponse
typealias CommitRequestEnvelope = Brasa__Wire__CommitRequest
typealias CommitResponseEnvelope = Brasa__Wire__CommitResponse
typealias RollbackRequestEnvelope = Brasa__Wire__RollbackRequest
typealias ListCollectionIdsRequestEnvelope = Brasa__Wire__ListCollectionIdsRequest
typealias ListCollectionIdsResponseEnvelope = Brasa__Wire__ListCollectionIdsResponse
typealias BatchWriteRequestEnvelope = Brasa__Wire__BatchWriteRequest
typealias BatchWriteResponseEnvelope = Brasa__Wire__BatchWriteResponse
typealias WriteRequestEnvelope = Brasa__Wire__WriteRequest
typealias WriteResponseEnvelope = Brasa__Wire__WriteResponse
typealias ListenRequestEnvelope = Brasa__Wire__ListenRequest
typealias TargetEnvelope = Brasa__Wire__Target
typealias QueryTargetEnvelope = Brasa__Wire__QueryTarget
typealias DocumentsTargetEnvelope = Brasa__Wire__DocumentsTarget
typealias ListenResponseEnvelope = Brasa__Wire__ListenResponse
typealias TargetChangeEnvelope = Brasa__Wire__TargetChange
typealias DocumentChangeEnvelope = Brasa__Wire__DocumentChange
typealias DocumentDeleteEnvelope = Brasa__Wire__DocumentDelete
typealias DocumentRemoveEnvelope = Brasa__Wire__DocumentRemove
typealias ExistenceFilterEnvelope = Brasa__Wire__ExistenceFilter
typealias BloomFilterEnvelope = Brasa__Wire__BloomFilter
typealias BitSequenceEnvelope = Brasa__Wire__BitSequence
typealias Int32ValueEnvelope = Brasa__Wire__Int32Value
typealias DoubleValueEnvelope = Brasa__Wire__DoubleValue
typealias Int64ValueEnvelope = Brasa__Wire__Int64Value
typealias DurationEnvelope = Brasa__Wire__Duration
typealias StructEnvelope = Brasa__Wire__Struct
typealias StructValueEnvelope = Brasa__Wire__StructValue
typealias ListValueEnvelope = Brasa__Wire__ListValue
typealias MapEntryEnvelope = Brasa__Wire__MapEntry
typealias FieldReferenceEnvelope = Brasa__Wire__FieldReference
typealias ProjectionEnvelope = Brasa__Wire__Projection
typealias CollectionSelectorEnvelope = Brasa__Wire__CollectionSelector
typealias FilterEnvelope = Brasa__Wire__Filter
typealias CompositeFilterEnvelope = Brasa__Wire__CompositeFilter
typealias FieldFilterEnvelope = Brasa__Wire__FieldFilter
typealias UnaryFilterEnvelope = Brasa__Wire__UnaryFilter
typealias OrderEnvelope = Brasa__Wire__Order
typealias CursorEnvelope = Brasa__Wire__Cursor
typealias FindNearestEnvelope = Brasa__Wire__FindNearest
typealias StructuredQueryEnvelope = Brasa__Wire__StructuredQuery
typealias StructuredAggregationQueryEnvelope = Brasa__Wire__StructuredAggregationQuery
typealias AggregationEnvelope = Brasa__Wire__Aggregation
typealias AggregationCountEnvelope = Brasa__Wire__Aggregation__Count
typealias AggregationSumEnvelope = Brasa__Wire__Aggregation__Sum
typealias AggregationAvgEnvelope = Brasa__Wire__Aggregation__Avg
typealias AggregationResultEnvelope = Brasa__Wire__AggregationResult
typealias ExplainOptionsEnvelope = Brasa__Wire__ExplainOptions
typealias ExplainMetricsEnvelope = Brasa__Wire__ExplainMetrics
typealias PlanSummaryEnvelope = Brasa__Wire__PlanSummary
typealias ExecutionStatsEnvelope = Brasa__Wire__ExecutionStats
typealias RunQueryRequestEnvelope = Brasa__Wire__RunQueryRequest
typealias RunQueryResponseEnvelope = Brasa__Wire__RunQueryResponse
typealias RunAggregationQueryRequestEnvelope = Brasa__Wire__RunAggregationQueryRequest
typealias RunAggregationQueryResponseEnvelope = Brasa__Wire__RunAggregationQueryResponse
typealias PartitionQueryRequestEnvelope = Brasa__Wire__PartitionQueryRequest
typealias PartitionQueryResponseEnvelope = Brasa__Wire__PartitionQueryResponse
typealias ListIndexesResponseEnvelope = Brasa__Wire__ListIndexesResponse
typealias IndexEnvelope = Brasa__Wire__Index
typealias HealthCheckRequestEnvelope = Brasa__Wire__HealthCheckRequest
typealias HealthCheckResponseEnvelope = Brasa__Wire__HealthCheckResponse
typealias ServerReflectionRequestEnvelope = Brasa__Wire__ServerReflectionRequest
typealias ExtensionRequestEnvelope = Brasa__Wire__ExtensionRequest
typealias ServerReflectionResponseEnvelope = Brasa__Wire__ServerReflectionResponse
typealias FileDescriptorResponseEnvelope = Brasa__Wire__FileDescriptorResponse
typealias ExtensionNumberResponseEnvelope = Brasa__Wire__ExtensionNumberResponse
typealias ListServiceResponseEnvelope = Brasa__Wire__ListServiceResponse
typealias ErrorResponseEnvelope = Brasa__Wire__ErrorResponse
typealias FileDescriptorSetEnvelope = Brasa__Wire__FileDescriptorSet
typealias FileDescriptorEnvelope = Brasa__Wire__FileDescriptor
typealias MessageDescriptorEnvelope = Brasa__Wire__MessageDescriptor
typealias EnumDescriptorEnvelope = Brasa__Wire__EnumDescriptor
typealias ServiceDescriptorEnvelope = Brasa__Wire__ServiceDescriptor
typealias ExtensionDescriptorEnvelope = Brasa__Wire__ExtensionDescriptor
typealias DeclarationEnvelope = Brasa__Wire__Declaration

extension Brasa__Wire__Timestamp: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_timestamp_descriptor()
    }
}

extension Brasa__Wire__DocumentMask: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_document_mask_descriptor()
    }
}

extension Brasa__Wire__Precondition: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_precondition_descriptor()
    }
}

extension Brasa__Wire__TransactionOptions: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_transaction_options_descriptor()
    }
}

extension Brasa__Wire__TransactionOptions__ReadWrite: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_transaction_options_read_write_descriptor()
    }
}

extension Brasa__Wire__TransactionOptions__ReadOnly: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_transaction_options_read_only_descriptor()
    }
}

extension Brasa__Wire__Document: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_document_descriptor()
    }
}

extension Brasa__Wire__Write: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_write_descriptor()
    }
}

extension Brasa__Wire__DocumentTransform: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_document_transform_descriptor()
    }
}

extension Brasa__Wire__FieldTransform: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_field_transform_descriptor()
    }
}

extension Brasa__Wire__ArrayValue: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_array_value_descriptor()
    }
}

extension Brasa__Wire__WriteResult: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_write_result_descriptor()
    }
}

extension Brasa__Wire__Status: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_status_descriptor()
    }
}

extension Brasa__Wire__GetDocumentRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_get_document_request_descriptor()
    }
}

extension Brasa__Wire__ListDocumentsRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_list_documents_request_descriptor()
    }
}

extension Brasa__Wire__ListDocumentsResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_list_documents_response_descriptor()
    }
}

extension Brasa__Wire__CreateDocumentRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_create_document_request_descriptor()
    }
}

extension Brasa__Wire__UpdateDocumentRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_update_document_request_descriptor()
    }
}

extension Brasa__Wire__DeleteDocumentRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_delete_document_request_descriptor()
    }
}

extension Brasa__Wire__BatchGetDocumentsRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_batch_get_documents_request_descriptor()
    }
}

extension Brasa__Wire__BatchGetDocumentsResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_batch_get_documents_response_descriptor()
    }
}

extension Brasa__Wire__BeginTransactionRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_begin_transaction_request_descriptor()
    }
}

extension Brasa__Wire__BeginTransactionResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_begin_transaction_response_descriptor()
    }
}

extension Brasa__Wire__CommitRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_commit_request_descriptor()
    }
}

extension Brasa__Wire__CommitResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_commit_response_descriptor()
    }
}

extension Brasa__Wire__RollbackRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_rollback_request_descriptor()
    }
}

extension Brasa__Wire__ListCollectionIdsRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_list_collection_ids_request_descriptor()
    }
}

extension Brasa__Wire__ListCollectionIdsResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_list_collection_ids_response_descriptor()
    }
}

extension Brasa__Wire__BatchWriteRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_batch_write_request_descriptor()
    }
}

extension Brasa__Wire__BatchWriteResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_batch_write_response_descriptor()
    }
}

extension Brasa__Wire__WriteRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_write_request_descriptor()
    }
}

extension Brasa__Wire__WriteResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_write_response_descriptor()
    }
}

extension Brasa__Wire__ListenRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_listen_request_descriptor()
    }
}

extension Brasa__Wire__Target: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_target_descriptor()
    }
}

extension Brasa__Wire__QueryTarget: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_query_target_descriptor()
    }
}

extension Brasa__Wire__DocumentsTarget: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_documents_target_descriptor()
    }
}

extension Brasa__Wire__ListenResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_listen_response_descriptor()
    }
}

extension Brasa__Wire__TargetChange: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_target_change_descriptor()
    }
}

extension Brasa__Wire__DocumentChange: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_document_change_descriptor()
    }
}

extension Brasa__Wire__DocumentDelete: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_document_delete_descriptor()
    }
}

extension Brasa__Wire__DocumentRemove: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_document_remove_descriptor()
    }
}

extension Brasa__Wire__ExistenceFilter: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_existence_filter_descriptor()
    }
}

extension Brasa__Wire__BloomFilter: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_bloom_filter_descriptor()
    }
}

extension Brasa__Wire__BitSequence: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_bit_sequence_descriptor()
    }
}

extension Brasa__Wire__Int32Value: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_int32_value_descriptor()
    }
}

extension Brasa__Wire__DoubleValue: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_double_value_descriptor()
    }
}

extension Brasa__Wire__Int64Value: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_int64_value_descriptor()
    }
}

extension Brasa__Wire__Duration: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_duration_descriptor()
    }
}

extension Brasa__Wire__Struct: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_struct_descriptor()
    }
}

extension Brasa__Wire__StructValue: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_struct_value_descriptor()
    }
}

extension Brasa__Wire__ListValue: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_list_value_descriptor()
    }
}

extension Brasa__Wire__MapEntry: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_map_entry_descriptor()
    }
}

extension Brasa__Wire__FieldReference: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_field_reference_descriptor()
    }
}

extension Brasa__Wire__Projection: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_projection_descriptor()
    }
}

extension Brasa__Wire__CollectionSelector: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_collection_selector_descriptor()
    }
}

extension Brasa__Wire__Filter: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_filter_descriptor()
    }
}

extension Brasa__Wire__CompositeFilter: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_composite_filter_descriptor()
    }
}

extension Brasa__Wire__FieldFilter: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_field_filter_descriptor()
    }
}

extension Brasa__Wire__UnaryFilter: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_unary_filter_descriptor()
    }
}

extension Brasa__Wire__Order: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_order_descriptor()
    }
}

extension Brasa__Wire__Cursor: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_cursor_descriptor()
    }
}

extension Brasa__Wire__FindNearest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_find_nearest_descriptor()
    }
}

extension Brasa__Wire__StructuredQuery: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_structured_query_descriptor()
    }
}

extension Brasa__Wire__StructuredAggregationQuery: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_structured_aggregation_query_descriptor()
    }
}

extension Brasa__Wire__Aggregation: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_aggregation_descriptor()
    }
}

extension Brasa__Wire__Aggregation__Count: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_aggregation_count_descriptor()
    }
}

extension Brasa__Wire__Aggregation__Sum: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_aggregation_sum_descriptor()
    }
}

extension Brasa__Wire__Aggregation__Avg: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_aggregation_avg_descriptor()
    }
}

extension Brasa__Wire__AggregationResult: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_aggregation_result_descriptor()
    }
}

extension Brasa__Wire__ExplainOptions: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_explain_options_descriptor()
    }
}

extension Brasa__Wire__ExplainMetrics: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_explain_metrics_descriptor()
    }
}

extension Brasa__Wire__PlanSummary: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_plan_summary_descriptor()
    }
}

extension Brasa__Wire__ExecutionStats: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_execution_stats_descriptor()
    }
}

extension Brasa__Wire__RunQueryRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_run_query_request_descriptor()
    }
}

extension Brasa__Wire__RunQueryResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_run_query_response_descriptor()
    }
}

extension Brasa__Wire__RunAggregationQueryRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_run_aggregation_query_request_descriptor()
    }
}

extension Brasa__Wire__RunAggregationQueryResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_run_aggregation_query_response_descriptor()
    }
}

extension Brasa__Wire__PartitionQueryRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_partition_query_request_descriptor()
    }
}

extension Brasa__Wire__PartitionQueryResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_partition_query_response_descriptor()
    }
}

extension Brasa__Wire__ListIndexesResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_list_indexes_response_descriptor()
    }
}

extension Brasa__Wire__Index: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_index_descriptor()
    }
}

extension Brasa__Wire__HealthCheckRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_health_check_request_descriptor()
    }
}

extension Brasa__Wire__HealthCheckResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_health_check_response_descriptor()
    }
}

extension Brasa__Wire__ServerReflectionRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_server_reflection_request_descriptor()
    }
}

extension Brasa__Wire__ExtensionRequest: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_extension_request_descriptor()
    }
}

extension Brasa__Wire__ServerReflectionResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_server_reflection_response_descriptor()
    }
}

extension Brasa__Wire__FileDescriptorResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_file_descriptor_response_descriptor()
    }
}

extension Brasa__Wire__ExtensionNumberResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_extension_number_response_descriptor()
    }
}

extension Brasa__Wire__ListServiceResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_list_service_response_descriptor()
    }
}

extension Brasa__Wire__ErrorResponse: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_error_response_descriptor()
    }
}

extension Brasa__Wire__FileDescriptorSet: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_file_descriptor_set_descriptor()
    }
}

extension Brasa__Wire__FileDescriptor: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_file_descriptor_descriptor()
    }
}

extension Brasa__Wire__MessageDescriptor: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_message_descriptor_descriptor()
    }
}

extension Brasa__Wire__EnumDescriptor: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_enum_descriptor_descriptor()
    }
}

extension Brasa__Wire__ServiceDescriptor: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_service_descriptor_descriptor()
    }
}

extension Brasa__Wire__ExtensionDescriptor: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_extension_descriptor_descriptor()
    }
}

extension Brasa__Wire__Declaration: Envelope {
    static var descriptor: UnsafePointer<ProtobufCMessageDescriptor>? {
        cbrasa_declaration_descriptor()
    }
}
