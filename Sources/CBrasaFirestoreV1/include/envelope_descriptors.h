// Made by scripts/generate from proto/. Do not edit.

// Swift cannot take the address of a C constant, so each descriptor has a function.
#ifndef CBRASA_ENVELOPE_DESCRIPTORS_H
#define CBRASA_ENVELOPE_DESCRIPTORS_H

#include "envelopes.pb-c.h"

static inline const ProtobufCMessageDescriptor *cbrasa_timestamp_descriptor(void) {
    return &brasa__wire__timestamp__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_document_mask_descriptor(void) {
    return &brasa__wire__document_mask__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_precondition_descriptor(void) {
    return &brasa__wire__precondition__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_transaction_options_descriptor(void) {
    return &brasa__wire__transaction_options__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_transaction_options_read_write_descriptor(void) {
    return &brasa__wire__transaction_options__read_write__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_transaction_options_read_only_descriptor(void) {
    return &brasa__wire__transaction_options__read_only__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_document_descriptor(void) {
    return &brasa__wire__document__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_write_descriptor(void) {
    return &brasa__wire__write__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_document_transform_descriptor(void) {
    return &brasa__wire__document_transform__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_field_transform_descriptor(void) {
    return &brasa__wire__field_transform__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_array_value_descriptor(void) {
    return &brasa__wire__array_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_write_result_descriptor(void) {
    return &brasa__wire__write_result__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_status_descriptor(void) {
    return &brasa__wire__status__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_get_document_request_descriptor(void) {
    return &brasa__wire__get_document_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_list_documents_request_descriptor(void) {
    return &brasa__wire__list_documents_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_list_documents_response_descriptor(void) {
    return &brasa__wire__list_documents_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_create_document_request_descriptor(void) {
    return &brasa__wire__create_document_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_update_document_request_descriptor(void) {
    return &brasa__wire__update_document_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_delete_document_request_descriptor(void) {
    return &brasa__wire__delete_document_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_batch_get_documents_request_descriptor(void) {
    return &brasa__wire__batch_get_documents_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_batch_get_documents_response_descriptor(void) {
    return &brasa__wire__batch_get_documents_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_begin_transaction_request_descriptor(void) {
    return &brasa__wire__begin_transaction_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_begin_transaction_response_descriptor(void) {
    return &brasa__wire__begin_transaction_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_commit_request_descriptor(void) {
    return &brasa__wire__commit_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_commit_response_descriptor(void) {
    return &brasa__wire__commit_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_rollback_request_descriptor(void) {
    return &brasa__wire__rollback_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_list_collection_ids_request_descriptor(void) {
    return &brasa__wire__list_collection_ids_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_list_collection_ids_response_descriptor(void) {
    return &brasa__wire__list_collection_ids_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_batch_write_request_descriptor(void) {
    return &brasa__wire__batch_write_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_batch_write_response_descriptor(void) {
    return &brasa__wire__batch_write_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_write_request_descriptor(void) {
    return &brasa__wire__write_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_write_response_descriptor(void) {
    return &brasa__wire__write_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_listen_request_descriptor(void) {
    return &brasa__wire__listen_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_target_descriptor(void) {
    return &brasa__wire__target__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_query_target_descriptor(void) {
    return &brasa__wire__query_target__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_documents_target_descriptor(void) {
    return &brasa__wire__documents_target__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_listen_response_descriptor(void) {
    return &brasa__wire__listen_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_target_change_descriptor(void) {
    return &brasa__wire__target_change__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_document_change_descriptor(void) {
    return &brasa__wire__document_change__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_document_delete_descriptor(void) {
    return &brasa__wire__document_delete__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_document_remove_descriptor(void) {
    return &brasa__wire__document_remove__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_existence_filter_descriptor(void) {
    return &brasa__wire__existence_filter__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_bloom_filter_descriptor(void) {
    return &brasa__wire__bloom_filter__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_bit_sequence_descriptor(void) {
    return &brasa__wire__bit_sequence__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_int32_value_descriptor(void) {
    return &brasa__wire__int32_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_double_value_descriptor(void) {
    return &brasa__wire__double_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_int64_value_descriptor(void) {
    return &brasa__wire__int64_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_duration_descriptor(void) {
    return &brasa__wire__duration__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_struct_descriptor(void) {
    return &brasa__wire__struct__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_struct_value_descriptor(void) {
    return &brasa__wire__struct_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_list_value_descriptor(void) {
    return &brasa__wire__list_value__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_map_entry_descriptor(void) {
    return &brasa__wire__map_entry__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_field_reference_descriptor(void) {
    return &brasa__wire__field_reference__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_projection_descriptor(void) {
    return &brasa__wire__projection__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_collection_selector_descriptor(void) {
    return &brasa__wire__collection_selector__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_filter_descriptor(void) {
    return &brasa__wire__filter__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_composite_filter_descriptor(void) {
    return &brasa__wire__composite_filter__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_field_filter_descriptor(void) {
    return &brasa__wire__field_filter__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_unary_filter_descriptor(void) {
    return &brasa__wire__unary_filter__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_order_descriptor(void) {
    return &brasa__wire__order__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_cursor_descriptor(void) {
    return &brasa__wire__cursor__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_find_nearest_descriptor(void) {
    return &brasa__wire__find_nearest__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_structured_query_descriptor(void) {
    return &brasa__wire__structured_query__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_structured_aggregation_query_descriptor(void) {
    return &brasa__wire__structured_aggregation_query__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_aggregation_descriptor(void) {
    return &brasa__wire__aggregation__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_aggregation_count_descriptor(void) {
    return &brasa__wire__aggregation__count__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_aggregation_sum_descriptor(void) {
    return &brasa__wire__aggregation__sum__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_aggregation_avg_descriptor(void) {
    return &brasa__wire__aggregation__avg__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_aggregation_result_descriptor(void) {
    return &brasa__wire__aggregation_result__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_explain_options_descriptor(void) {
    return &brasa__wire__explain_options__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_explain_metrics_descriptor(void) {
    return &brasa__wire__explain_metrics__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_plan_summary_descriptor(void) {
    return &brasa__wire__plan_summary__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_execution_stats_descriptor(void) {
    return &brasa__wire__execution_stats__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_run_query_request_descriptor(void) {
    return &brasa__wire__run_query_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_run_query_response_descriptor(void) {
    return &brasa__wire__run_query_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_run_aggregation_query_request_descriptor(void) {
    return &brasa__wire__run_aggregation_query_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_run_aggregation_query_response_descriptor(void) {
    return &brasa__wire__run_aggregation_query_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_partition_query_request_descriptor(void) {
    return &brasa__wire__partition_query_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_partition_query_response_descriptor(void) {
    return &brasa__wire__partition_query_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_list_indexes_response_descriptor(void) {
    return &brasa__wire__list_indexes_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_index_descriptor(void) {
    return &brasa__wire__index__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_health_check_request_descriptor(void) {
    return &brasa__wire__health_check_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_health_check_response_descriptor(void) {
    return &brasa__wire__health_check_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_server_reflection_request_descriptor(void) {
    return &brasa__wire__server_reflection_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_extension_request_descriptor(void) {
    return &brasa__wire__extension_request__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_server_reflection_response_descriptor(void) {
    return &brasa__wire__server_reflection_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_file_descriptor_response_descriptor(void) {
    return &brasa__wire__file_descriptor_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_extension_number_response_descriptor(void) {
    return &brasa__wire__extension_number_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_list_service_response_descriptor(void) {
    return &brasa__wire__list_service_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_error_response_descriptor(void) {
    return &brasa__wire__error_response__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_file_descriptor_set_descriptor(void) {
    return &brasa__wire__file_descriptor_set__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_file_descriptor_descriptor(void) {
    return &brasa__wire__file_descriptor__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_message_descriptor_descriptor(void) {
    return &brasa__wire__message_descriptor__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_enum_descriptor_descriptor(void) {
    return &brasa__wire__enum_descriptor__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_service_descriptor_descriptor(void) {
    return &brasa__wire__service_descriptor__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_extension_descriptor_descriptor(void) {
    return &brasa__wire__extension_descriptor__descriptor;
}
static inline const ProtobufCMessageDescriptor *cbrasa_declaration_descriptor(void) {
    return &brasa__wire__declaration__descriptor;
}

#endif
